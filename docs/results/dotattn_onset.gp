# Run in this folder: gnuplot dotattn_onset.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1180,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_onset.svg'
set multiplot layout 1,2
set xlabel 'alpha'
set key bottom right
set title 'mean |theta| of descents from Q*'
plot 'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 100 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'd = 100', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 200 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'd = 200', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 400 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'd = 400', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 800 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'd = 800', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 1600 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'd = 1600', \
     'dotattn_onset_theory.csv' using 'alpha':'theta' with lines lw 2 dt 2 lc rgb '#000000' title 'theory'
set title 'training loss above theory, per cent'
set key top right
plot 'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 100 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'd = 100', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 200 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'd = 200', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 400 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'd = 400', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 800 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'd = 800', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 1600 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'd = 1600'
unset multiplot
unset output
set terminal pngcairo size 1180,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_onset.png'
set multiplot layout 1,2
set xlabel 'alpha'
set key bottom right
set title 'mean |theta| of descents from Q*'
plot 'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 100 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'd = 100', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 200 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'd = 200', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 400 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'd = 400', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 800 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'd = 800', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 1600 ? column('theta') : 1/0):'theta_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'd = 1600', \
     'dotattn_onset_theory.csv' using 'alpha':'theta' with lines lw 2 dt 2 lc rgb '#000000' title 'theory'
set title 'training loss above theory, per cent'
set key top right
plot 'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 100 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'd = 100', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 200 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'd = 200', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 400 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'd = 400', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 800 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'd = 800', \
     'dotattn_onset.csv' using 'alpha':(column('restarts') == 0 && column('d') == 1600 ? column('excess') : 1/0):'excess_error' with yerrorlines lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'd = 1600'
unset multiplot
unset output
