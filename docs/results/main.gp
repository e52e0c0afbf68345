# Run in this folder: gnuplot main.gp
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
set terminal svg size 760,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'main.svg'
set title "Coupling error and held-out loss of factored attention\nL = q = 20, mean Hamming distance 0.3 (beta = 5.49), L-BFGS"
set logscale x
set logscale y
set xlabel 'training sequences M'
set ylabel 'coupling error (no unit);  loss (nats per site)'
set format y '10^{%L}'
set key top right
set xrange [600:15000]
set xtics (750, 1500, 3000, 6000, 12000)
plot 'main.csv' using 'samples':'coupling_error' with linespoints ls 1 title 'sum_{ij} (beta J_{ij} - A_{ij})^2 / L^2', \
     '' using 'samples':'difference' with linespoints ls 2 title 'test loss - optimal loss', \
     1525.25 / x with lines ls 3 title 'slope -1'
unset output
set terminal pngcairo size 760,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'main.png'
set title "Coupling error and held-out loss of factored attention\nL = q = 20, mean Hamming distance 0.3 (beta = 5.49), L-BFGS"
set logscale x
set logscale y
set xlabel 'training sequences M'
set ylabel 'coupling error (no unit);  loss (nats per site)'
set format y '10^{%L}'
set key top right
set xrange [600:15000]
set xtics (750, 1500, 3000, 6000, 12000)
plot 'main.csv' using 'samples':'coupling_error' with linespoints ls 1 title 'sum_{ij} (beta J_{ij} - A_{ij})^2 / L^2', \
     '' using 'samples':'difference' with linespoints ls 2 title 'test loss - optimal loss', \
     1525.25 / x with lines ls 3 title 'slope -1'
unset output
